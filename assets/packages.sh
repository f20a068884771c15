# Sourced by assets/try and tests/run: installs the packages of named sections. Needs $root, the source folder.

say() {
    printf '%s\n' "$*"
}

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Packages of the sections named, one a line.
packages_of() {
    for section in "$@"; do
        sed -n "s/^$section[[:space:]]\+//p" "$root/assets/packages" | tr ' ' '\n'
    done
}

# The ones of those that are not installed.
packages_missing() {
    for package in $(packages_of "$@"); do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    done
}

packages_install() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
        fail "this script installs Debian packages and finds no apt-get; install these yourself: $(packages_of "$@" | tr '\n' ' ')"
    missing=$(packages_missing "$@" | tr '\n' ' ')
    [ -n "$missing" ] || { say "packages: all there"; return 0; }
    say "packages: installing $missing"
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "packages are missing ($missing) and neither root nor sudo is at hand"
        as_root=sudo
    fi
    # shellcheck disable=SC2086
    $as_root apt-get update -q >/dev/null || fail "apt-get update failed: is the network there?"
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >/dev/null ||
        fail "apt-get could not install $missing"
}
