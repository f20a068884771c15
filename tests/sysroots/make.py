#!/usr/bin/env python3
"""Makes recorded machines from tables: small trees of the sys/ and proc/ texts that `iodyno list --sysroot` reads.

Usage: make.py FOLDER [NAME ...]. Values come from public posts, serial numbers are neutralised; sysfs paths follow the
kernel's naming rules. A tree is a table of calls; tests make them where they need them.
"""
import os
import pathlib
import shutil
import struct
import sys

KIB = 2  # sectors


class Tree:
    def __init__(self, root, kernel="5.10.0", memory_kib=1048576, model=None):
        self.root = pathlib.Path(root)
        shutil.rmtree(self.root, ignore_errors=True)
        self.mounted = []
        self.text("proc/sys/kernel/osrelease", kernel)
        self.text("proc/meminfo", f"MemTotal:       {memory_kib} kB\nMemAvailable:   {memory_kib // 2} kB")
        self.folder("sys/class/block")
        if model:
            self.bytes("proc/device-tree/model", model.encode() + b"\0")

    def folder(self, path):
        (self.root / path).mkdir(parents=True, exist_ok=True)

    def bytes(self, path, content):
        self.folder(os.path.dirname(path))
        (self.root / path).write_bytes(content)

    def text(self, path, content):
        self.bytes(path, f"{content}\n".encode())

    def link(self, path, target):
        """A relative link from `path` to `target`, both from the root."""
        self.folder(os.path.dirname(path))
        (self.root / path).symlink_to(os.path.relpath(target, os.path.dirname(path)))

    def attributes(self, folder, attributes):
        for name, value in attributes.items():
            if isinstance(value, bytes):
                self.bytes(f"{folder}/{name}", value)
            else:
                self.text(f"{folder}/{name}", value)

    # block devices

    def disk(self, folder, dev, sectors, logical=512, physical=512, ro=0, removable=0, device=None, **more):
        """A whole disk in `folder`; `device`: what its link leads to ('' none)."""
        name = os.path.basename(folder)
        self.attributes(folder, {"dev": dev, "size": sectors, "ro": ro, "removable": removable,
                                 "stat": " ".join(["0"] * 17),
                                 "queue/logical_block_size": logical, "queue/physical_block_size": physical, **more})
        self.link(f"sys/class/block/{name}", folder)
        self.link(f"sys/dev/block/{dev}", folder)
        if device != "":
            self.link(f"{folder}/device", device or os.path.dirname(os.path.dirname(folder)))

    def part(self, disk, name, dev, sectors, start=2048, number=1, label=None):
        folder = f"{disk}/{name}"
        major, minor = dev.split(":")
        lines = [f"MAJOR={major}", f"MINOR={minor}", f"DEVNAME={name}", "DEVTYPE=partition", f"PARTN={number}"]
        if label:
            lines.append(f"PARTNAME={label}")
        self.attributes(folder, {"dev": dev, "size": sectors, "ro": 0, "start": start, "partition": number,
                                 "stat": " ".join(["0"] * 17), "uevent": "\n".join(lines)})
        self.link(f"sys/class/block/{name}", folder)
        self.link(f"sys/dev/block/{dev}", folder)

    def parts(self, disk, prefix, major, minor, sizes, start=8192, label=None):
        """Partitions one after the other, numbered from 1."""
        for number, sectors in enumerate(sizes, 1):
            self.part(disk, f"{prefix}{number}", f"{major}:{minor + number - 1}", sectors, start, number,
                      label(number) if label else None)
            start += sectors

    # MMC

    def host(self, platform, host, node=None, **properties):
        """An MMC host; `node`: its device-tree path with properties (ints are cells, True is empty)."""
        self.folder(f"{platform}/mmc_host/{host}")
        self.link(f"sys/class/mmc_host/{host}", f"{platform}/mmc_host/{host}")
        if node:
            self.node(node, platform, **properties)
        return f"{platform}/mmc_host/{host}"

    def node(self, node, device, **properties):
        for name, value in {"compatible": "vendor,none", **properties}.items():
            name = name.replace("__", ",").replace("_", "-").replace("-8v", "_8v")
            content = b"" if value is True else struct.pack(">I", value) if isinstance(value, int) \
                else value.encode() + b"\0"
            self.bytes(f"proc/device-tree/{node}/{name}", content)
        # As in sysfs: into sys/firmware, which no recording has to hold.
        self.link(f"{device}/of_node", f"sys/firmware/devicetree/base/{node}")

    def card(self, host, address, block, dev, sectors, **attributes):
        """A card in a host; returns the folder of its disk."""
        folder = f"{host}/{os.path.basename(host)}:{address}"
        ro = attributes.pop("ro", 0)
        self.attributes(folder, attributes)
        self.link(f"sys/bus/mmc/devices/{os.path.basename(folder)}", folder)
        if block:
            self.disk(f"{folder}/block/{block}", dev, sectors, ro=ro, device=folder)
        return f"{folder}/block/{block}"

    def areas(self, disk, major, minor, sectors, names=("boot0", "boot1")):
        for i, name in enumerate(names):
            area = f"{disk}/{os.path.basename(disk)}{name}"
            self.disk(area, f"{major}:{minor + i * 8}", sectors, ro=1, device=disk)

    # USB

    def hub(self, controller, bus, speed, ports=1):
        """A root hub; returns its folder."""
        hub = f"{controller}/usb{bus}"
        self.attributes(hub, {"idVendor": "1d6b", "idProduct": "0003" if speed >= 5000 else "0002", "speed": speed,
                              "version": " 3.00" if speed >= 5000 else " 2.00"})
        for port in range(1, ports + 1):
            self.folder(f"{hub}/{bus}-0:1.0/usb{bus}-port{port}")
        return hub

    def peers(self, controller, first, second, port=1):
        a, b = (f"{controller}/usb{bus}/{bus}-0:1.0/usb{bus}-port{port}" for bus in (first, second))
        self.link(f"{a}/peer", b)
        self.link(f"{b}/peer", a)

    def usb(self, hub, port, speed, driver="usb-storage", protocol="50", **attributes):
        """A USB device with one mass storage interface; returns the interface's folder."""
        bus = os.path.basename(hub)[3:]
        device = f"{hub}/{bus}-{port}"
        self.attributes(device, {"speed": speed, "bDeviceClass": "00", **attributes})
        self.link(f"{device}/port", f"{hub}/{bus}-0:1.0/usb{bus}-port{port}")
        interface = f"{device}/{bus}-{port}:1.0"
        self.attributes(interface, {"bInterfaceNumber": "00", "bInterfaceClass": "08", "bInterfaceProtocol": protocol})
        self.folder(f"sys/bus/usb/drivers/{driver}")
        self.link(f"{interface}/driver", f"sys/bus/usb/drivers/{driver}")
        return interface

    def lun(self, above, host, lun, name, dev, sectors, vendor, model, **disk):
        """A SCSI disk below `above`; returns its folder."""
        folder = f"{above}/host{host}/target{host}:0:0/{host}:0:0:{lun}"
        self.attributes(folder, {"vendor": vendor.ljust(8), "model": model.ljust(16), "type": 0})
        if name:
            self.disk(f"{folder}/block/{name}", dev, sectors, device=folder, **disk)
        return f"{folder}/block/{name}"

    # network ports

    def port(self, folder, index, mac, driver=None, bus=None, speed=None, duplex=None, carrier=1, flags="0x1003",
             devtype=None, kind=1, mtu=1500, changes=1, assigned=0, **more):
        """A port in `folder` (…/net/eth0), on the device above its `net`; `driver` None: without hardware."""
        hardware = os.path.dirname(os.path.dirname(folder))
        name = os.path.basename(folder)
        lines = ([f"DEVTYPE={devtype}"] if devtype else []) + [f"INTERFACE={name}", f"IFINDEX={index}"]
        statistics = {f"statistics/{key}": 0 for key in (
            "rx_bytes tx_bytes rx_packets tx_packets rx_errors tx_errors rx_dropped tx_dropped collisions "
            "rx_crc_errors rx_fifo_errors rx_missed_errors").split()}
        self.attributes(folder, {"type": kind, "ifindex": index, "address": mac, "addr_assign_type": assigned,
                                 "flags": flags, "mtu": mtu, "uevent": "\n".join(lines), "carrier_changes": changes,
                                 "operstate": "up" if carrier else "down", **statistics, **more})
        for key, value in (("carrier", carrier), ("speed", speed), ("duplex", duplex)):
            if value is not None:
                self.text(f"{folder}/{key}", value)
        self.link(f"sys/class/net/{name}", folder)
        if driver:
            self.link(f"{folder}/device", hardware)
            self.folder(f"sys/bus/{bus}/drivers/{driver}")
            if not (self.root / hardware / "driver").is_symlink():
                self.link(f"{hardware}/driver", f"sys/bus/{bus}/drivers/{driver}")
                self.link(f"{hardware}/subsystem", f"sys/bus/{bus}")
        return folder

    def phy(self, port, folder, driver, interface, identity="0x00221622"):
        self.attributes(folder, {"phy_interface": interface, "phy_id": identity})
        self.folder(f"sys/bus/mdio_bus/drivers/{driver}")
        self.link(f"{folder}/driver", f"sys/bus/mdio_bus/drivers/{driver}")
        self.link(f"{port}/phydev", folder)

    # mounts

    def mount(self, dev, point, kind, source, options="rw,relatime", root="/", superblock="rw"):
        number = 20 + len(self.mounted)
        self.mounted.append(f"{number} {number - 1 if self.mounted else 1} {dev} {root} {point} {options} shared:1 - "
                            f"{kind} {source} {superblock}")

    def close(self):
        if self.mounted:
            self.text("proc/self/mountinfo", "\n".join(self.mounted))


def uas_descriptors():
    """An interface with a bulk-only and a UAS setting, as a device's descriptors hold them."""
    return bytes([18, 1, 0, 2]) + bytes(14) + bytes([9, 4, 0, 0, 2, 8, 6, 0x50, 0, 9, 4, 0, 1, 4, 8, 6, 0x62, 0])


def bos(super_speed, plus=False):
    """A binary object store: USB 2.0 extension, and SuperSpeed when the device has it."""
    parts = [bytes([7, 16, 2, 2, 0, 0, 0])]
    if super_speed:
        parts.append(bytes([10, 16, 3, 0, 14, 0, 1, 10, 0xff, 7]))
    if plus:
        parts.append(bytes([20, 16, 10]) + bytes(17))
    body = b"".join(parts)
    return bytes([5, 15]) + struct.pack("<H", 5 + len(body)) + bytes([len(parts)]) + body


def ssr(speed_class=0, unit=0, uhs=0, video=0, application=0):
    """An SD status register by its codes (a class code is not its number)."""
    register = bytearray(64)
    register[0] = 0x80  # four data lines
    register[8], register[10], register[14], register[15], register[21] = \
        speed_class, unit << 4, uhs << 4, video, application
    return register.hex()


SD = {"type": "SD", "date": "01/2020", "hwrev": "0x8", "fwrev": "0x0", "erase_size": 512,
      "preferred_erase_size": 4194304, "scr": "0235800201000000"}
EMMC = {"type": "MMC", "date": "01/2018", "hwrev": "0x0", "fwrev": "0x0600000000000000", "erase_size": 524288,
        "preferred_erase_size": 524288, "prv": "0x6"}


def make_cid(manfid, oemid, name):
    raw = bytes([manfid]) + oemid.encode()[:2] + name.encode()[:5].ljust(5) + bytes([0x10, 1, 1, 1, 1, 1, 0x31, 1])
    return raw.hex()


def f2(t):
    """BeagleBone Black: minor order is not name order."""
    sd = t.host("sys/devices/platform/ocp/48060000.mmc", "mmc0")
    t.card(sd, "aaaa", "mmcblk0", "179:24", 31166976 * KIB, **SD, name="SL32G", manfid="0x000003", oemid="0x5344",
           serial="0x11111111", cid=make_cid(3, "SD", "SL32G"))
    t.part(f"{sd}/mmc0:aaaa/block/mmcblk0", "mmcblk0p1", "179:25", 31162880 * KIB, 8192)
    emmc = t.host("sys/devices/platform/ocp/481d8000.mmc", "mmc1")
    disk = t.card(emmc, "0001", "mmcblk1", "179:0", 3735552 * KIB, **EMMC, name="M62704", manfid="0x0000fe",
                  oemid="0x014e", serial="0x11111112", life_time="0x01 0x01", pre_eol_info="0x01")
    t.part(disk, "mmcblk1p1", "179:1", 3731456 * KIB, 8192)
    t.areas(disk, 179, 8, 4096)
    t.mount("179:1", "/", "ext4", "/dev/mmcblk1p1")


def f3(t):
    """Allwinner: eMMC is mmcblk2, SDIO between; the disk id of both is the same and is never looked at."""
    sd = t.host("sys/devices/platform/soc/1c0f000.mmc", "mmc0")
    disk = t.card(sd, "0001", "mmcblk0", "179:0", 61405184, **SD, name="SD32G", manfid="0x000003", oemid="0x5344",
                  serial="0x11111111")
    t.parts(disk, "mmcblk0p", 179, 1, [1048576, 60000000])
    sdio = t.host("sys/devices/platform/soc/1c10000.mmc", "mmc1")
    t.card(sdio, "0001", None, None, 0, type="SDIO")
    emmc = t.host("sys/devices/platform/soc/1c11000.mmc", "mmc2", "soc/mmc@1c11000", bus_width=8, non_removable=True,
                  mmc_ddr_1_8v=True, cap_mmc_highspeed=True, max_frequency=150000000)
    disk = t.card(emmc, "0001", "mmcblk2", "179:32", 15269888, **EMMC, name="8WPD3R", manfid="0x000015",
                  oemid="0x0100", serial="0x11111112", life_time="0x02 0x00", pre_eol_info="01")
    t.parts(disk, "mmcblk2p", 179, 33, [1048576, 14000000])
    t.areas(disk, 179, 40, 8192)
    t.mount("179:2", "/", "ext4", "/dev/root")
    t.mount("179:1", "/boot", "vfat", "/dev/mmcblk0p1")


def f4(t):
    """Jetson TX2: no mmcblk1, "/" says /dev/root."""
    emmc = t.host("sys/devices/platform/3460000.sdhci", "mmc0")
    disk = t.card(emmc, "0001", "mmcblk0", "179:0", 61071360, **EMMC, name="032G34", manfid="0x000011",
                  oemid="0x0100", serial="0x11111111")
    t.part(disk, "mmcblk0p1", "179:1", 58720256, 24576, 1, "APP")
    t.areas(disk, 179, 32, 8192)
    sd = t.host("sys/devices/platform/3400000.sdhci", "mmc2")
    t.card(sd, "0007", "mmcblk2", "179:64", 62333952, **SD, name="SC32G", manfid="0x000003", oemid="0x5344",
           serial="0x11111112", ssr=ssr(4, 9, 1, 10, 1))
    t.mount("179:1", "/", "ext4", "/dev/root")


def f6(t):
    """SpacemiT K1: SDR104 card with six partitions, eMMC with three hidden nodes, Wi-Fi host."""
    sd = t.host("sys/devices/platform/soc/d4280000.sdh", "mmc0", "soc/sdh@d4280000", bus_width=4, sd_uhs_sdr104=True,
                sd_uhs_sdr50=True, cap_sd_highspeed=True, max_frequency=204800000)
    disk = t.card(sd, "aaaa", "mmcblk0", "179:0", 62333952, **SD, name="SD32G", manfid="0x000003", oemid="0x5344",
                  serial="0x11111111", ssr=ssr(4, 9, 3, 30, 2))
    t.parts(disk, "mmcblk0p", 179, 1, [512, 2048, 2048, 524288, 4096, 61000000], start=256)
    emmc = t.host("sys/devices/platform/soc/d4281000.sdh", "mmc2", "soc/sdh@d4281000", bus_width=8,
                  mmc_hs400_1_8v=True, mmc_hs400_enhanced_strobe=True, max_frequency=375000000, non_removable=True)
    disk = t.card(emmc, "0001", "mmcblk2", "179:16", 61071360, **EMMC, name="DF4032", manfid="0x0000d6",
                  oemid="0x0103", serial="0x11111112", life_time="0x01 0x02", pre_eol_info="0x01")
    t.parts(disk, "mmcblk2p", 179, 17, [512, 2048, 2048, 524288, 4096, 60000000], start=256)
    t.areas(disk, 179, 24, 8192, ("boot0", "boot1", "rpmb"))
    t.mount("179:6", "/", "ext4", "/dev/mmcblk0p6")
    t.mount("179:5", "/boot", "ext4", "/dev/mmcblk0p5")


def f8(t):
    """Set-top box: boot1 stands before boot0, and a disk on SATA."""
    emmc = t.host("sys/devices/platform/rdb/f0490200.sdhci", "mmc0")
    disk = t.card(emmc, "0001", "mmcblk0", "179:0", 3866624 * KIB, **EMMC, name="004G60", manfid="0x000011",
                  oemid="0x0100", serial="0x11111111")
    t.parts(disk, "mmcblk0p", 179, 1, [8192] * 9 + [4000000])
    t.disk(f"{disk}/mmcblk0boot1", "179:32", 4096, ro=1, device=disk)
    t.disk(f"{disk}/mmcblk0boot0", "179:16", 4096, ro=1, device=disk)
    sd = t.host("sys/devices/platform/rdb/f0490000.sdhci", "mmc1")
    t.card(sd, "b368", "mmcblk1", "179:48", 15339520 * KIB, **SD, name="USD00", manfid="0x000074", oemid="0x4a60",
           serial="0x11111112", ro=1)
    t.lun("sys/devices/platform/rdb/f045a000.sata/ata1", 0, 0, "sda", "8:0", 976762584 * KIB, "ATA", "ST1000LM035")
    t.mount("179:4", "/", "ext4", "/dev/mmcblk0p4")


def f9(t):
    """Qualcomm boards: dozens of partitions, colons in their names, major 259."""
    host = t.host("sys/devices/soc.0/7824900.sdhci", "mmc0")
    disk = t.card(host, "0001", "mmcblk0", "179:0", 15269888, **EMMC, name="8GTF4R", manfid="0x000015",
                  oemid="0x0100", serial="0x11111111")
    names = ["0:SBL1", "0:MIBIB", "0:RPM", "0:RPM_1", "alignto512"]
    for number in range(1, 69):
        dev = f"179:{number}" if number < 8 else f"259:{number - 8}"
        label = names[number - 1] if number <= len(names) else f"part_{number}"
        t.part(disk, f"mmcblk0p{number}", dev, 15307776 * KIB // 2 if number == 68 else 1024,
               1024 * number, number, label)
    t.mount("259:60", "/", "ext4", "/dev/mmcblk0p68")


def f10(t):
    """A host without a card, a node no driver took, one that is switched off, raw NAND and NOR."""
    t.host("sys/devices/platform/soc/fe2c0000.mmc", "mmc1", "mmc@fe2c0000", bus_width=4, cap_sd_highspeed=True,
           sd_uhs_sdr104=True, no_1_8_v=True)
    for name, status in (("fe2b0000.mmc", "okay"), ("fe2a0000.mmc", "disabled")):
        node = f"mmc@{name.split('.')[0]}"
        t.folder(f"sys/devices/platform/soc/{name}")
        t.node(node, f"sys/devices/platform/soc/{name}", compatible="rockchip,rk3568-dw-mshc", status=status)
        t.link(f"sys/bus/platform/devices/{name}", f"sys/devices/platform/soc/{name}")
    t.node("usb@fd800000", "sys/devices/platform/soc/fd800000.usb", compatible="generic-ehci")
    t.text("sys/devices/platform/soc/fd800000.usb/waiting_for_supplier", 1)
    t.link("sys/bus/platform/devices/fd800000.usb", "sys/devices/platform/soc/fd800000.usb")
    t.node("serial@fe660000", "sys/devices/platform/soc/fe660000.serial", compatible="snps,dw-apb-uart")
    t.link("sys/bus/platform/devices/fe660000.serial", "sys/devices/platform/soc/fe660000.serial")
    for name, kind, label, size in (("mtd0", "nand", "rootfs", 251658240), ("mtd1", "nor", "u-boot", 16777216)):
        folder = f"sys/devices/platform/soc/flash/mtd/{name}"
        t.attributes(folder, {"type": kind, "name": label, "size": size, "dev": f"90:{int(name[3]) * 2}"})
        t.link(f"sys/class/mtd/{name}", folder)
        t.folder(f"{folder}ro")
        t.link(f"sys/class/mtd/{name}ro", f"{folder}ro")
    t.mount("0:15", "/", "ubifs", "ubi0:rootfs")


def f17(t):
    """Counterfeits, and a Phison card that is none."""
    cards = [("N/A", "0x000000", "0x0", 15564800), ("ASTC", "0x000012", "0x0", 15603712),
             ("SD16G", "0x000027", "0x0", 15603712), ("SD16G", "0x000009", "0x0600000000000000", 15603712)]
    for i, (name, manfid, fwrev, sectors) in enumerate(cards):
        host = t.host(f"sys/devices/platform/fe3{i}0000.mmc", f"mmc{i}")
        t.card(host, "0001", f"mmcblk{i}", f"179:{i * 8}", sectors, **{**SD, "fwrev": fwrev}, name=name,
               manfid=manfid, oemid="0x0000", serial="0x0000abcd")


def f18(t):
    """WD disk: the second unit is an enclosure without a block node."""
    controller = "sys/devices/pci0000:00/0000:00:14.0"
    hub = t.hub(controller, 2, 5000)
    t.hub(controller, 1, 480)
    t.peers(controller, 1, 2)
    interface = t.usb(hub, 1, 5000, idVendor="1058", idProduct="0748", version=" 3.00", serial="575800000000")
    t.lun(interface, 6, 0, "sdb", "8:16", 1953458176, "WD", "My Passport 0748")
    t.lun(interface, 6, 1, None, None, 0, "WD", "SES Device")


def f20(t):
    """Real devices of reviews: firmware in letters, links below what they could be, a gadget."""
    for i, (host, name, fwrev) in enumerate((("mmc2", "DG4008", "0x3733313033353137"),
                                             ("mmc3", "8GTF4R", "0x0100000000000000"))):
        folder = t.host(f"sys/devices/platform/fe33000{i}.sdhci", host, f"sdhci@fe33000{i}", bus_width=8,
                        mmc_hs200_1_8v=True, **({"mmc_hs400_enhanced_strobe": True} if i == 0 else {}))
        t.card(folder, "0001", f"mmcblk{i + 2}", f"179:{i * 32}", 15269888, **{**EMMC, "fwrev": fwrev}, name=name,
               manfid="0x000045" if i == 0 else "0x000015", oemid="0x0100", serial="0x11111111",
               life_time=("0x0b 0x03", "0x09 0x0a")[i], pre_eol_info=("0x03", "02")[i])
    controller = "sys/devices/platform/fd800000.usb/xhci-hcd.0.auto"
    high, fast = t.hub(controller, 1, 480, 3), t.hub(controller, 2, 5000, 3)
    for port in (1, 2, 3):
        t.peers(controller, 1, 2, port)
    jms = t.usb(high, 1, 480, "uas", "62", idVendor="152d", idProduct="0578", version=" 2.10", serial="111111111111",
                descriptors=uas_descriptors(), bos_descriptors=bos(True))
    t.lun(jms, 0, 0, "sda", "8:0", 234441648, "JMicron", "Tech")
    gadget = t.usb(high, 2, 480, idVendor="1d6b", idProduct="0104", version=" 2.00", serial="0123456789")
    t.lun(gadget, 1, 0, "sdb", "8:16", 2097152, "Linux", "File-Stor Gadget", ro=1)
    t.usb(fast, 3, 5000, idVendor="0bda", idProduct="0316", version=" 3.00", serial="20120501030900000")
    reader = f"{fast}/2-3/2-3:1.0"
    events = {"removable": 1, "events": "media_change", "events_async": "", "events_poll_msecs": -1}
    t.lun(reader, 2, 0, "sdc", "8:32", 0, "Generic-", "SD/MMC", **events)
    t.lun(reader, 2, 1, "sdd", "8:48", 0, "Generic-", "MicroSD/M2", **events)


def usb_slow(t):
    """Why a disk is slower than it could be: each cause once."""
    t.text("sys/module/usb_storage/parameters/quirks", "1234:5678:c,152D:0578:u")
    t.folder("sys/bus/usb/drivers/uas")
    rows = [  # node properties, peer?, typec orientation, descriptors
        ("fd0", {"maximum_speed": "high-speed"}, False, None, bos(True)),
        ("fd1", {}, False, None, bos(True)),
        ("fd2", {}, True, None, bos(True)),
        ("fd3", {}, True, "reverse", bos(True, True)),
        ("fd4", {}, True, None, bos(False)),
        ("fd5", {}, True, None, None)]
    for i, (name, properties, has_peer, orientation, store) in enumerate(rows):
        controller = f"sys/devices/platform/{name}.usb/xhci-hcd.{i}.auto"
        first, second = 2 * i + 1, 2 * i + 2
        hub = t.hub(controller, first, 480)
        if has_peer:
            t.hub(controller, second, 5000)
            t.peers(controller, first, second)
        t.node(f"usb@{name}", f"sys/devices/platform/{name}.usb", **properties)
        if orientation:
            connector = f"sys/devices/platform/i2c/typec/port{i}"
            t.text(f"{connector}/orientation", orientation)
            t.link(f"{hub}/{first}-0:1.0/usb{first}-port1/connector", connector)
        more = {"bos_descriptors": store} if store else {}
        interface = t.usb(hub, 1, 480, idVendor="152d", idProduct="0578", version=" 2.10", serial=f"{i:012}",
                          descriptors=uas_descriptors(), **more)
        letter = "abcdef"[i]
        t.lun(interface, i, 0, f"sd{letter}", f"8:{i * 16}", 234441648, "JMicron", "Generic")


def four_kn(t):
    """A disk with sectors of 4096 bytes; size still counts 512."""
    hub = t.hub("sys/devices/pci0000:00/0000:00:14.0", 2, 10000)
    interface = t.usb(hub, 1, 10000, "uas", "62", idVendor="174c", idProduct="55aa", version=" 3.10",
                      serial="MSFT30111111111", descriptors=uas_descriptors())
    disk = t.lun(interface, 0, 0, "sda", "8:0", 7814037168, "ASMT", "2115", logical=4096, physical=4096)
    t.part(disk, "sda1", "8:1", 7814033408, 2048)
    t.mount("8:1", "/mnt/big\\040disk", "xfs", "/dev/sda1")


def cid_bytes(t):
    """Control bytes in a card's name; a CID that is none; a serial with a terminal's escape."""
    host = t.host("sys/devices/platform/fe340000.mmc", "mmc0")
    t.card(host, "0001", "mmcblk0", "179:0", 62333952, **SD, manfid="0x000003", oemid="0x5344",
           name=b"\x1b[2J\x07\n", serial=b"0x\x1b]0;x\x0711\n", cid="0353441b5b324a078000000001013301")
    host = t.host("sys/devices/platform/fe350000.mmc", "mmc1")
    t.card(host, "0002", "mmcblk1", "179:8", 62333952, **SD, manfid="0x000003", name=b"AB\0\0\0\n",
           cid=b"\x9b31mnot a cid\n", serial="0x22222222")


def combo(t):
    """A card that is memory and radio at once; a write-protected one."""
    host = t.host("sys/devices/platform/fe340000.mmc", "mmc0")
    t.card(host, "0001", "mmcblk0", "179:0", 62333952, **{**SD, "type": "SDcombo"}, name="SU02G", manfid="0x000003")
    host = t.host("sys/devices/platform/fe350000.mmc", "mmc1")
    disk = t.card(host, "0002", "mmcblk1", "179:8", 62333952, **SD, name="SL32G", manfid="0x000003", ro=1)
    t.part(disk, "mmcblk1p1", "179:9", 62325760, 8192)


def btrfs(t):
    """Subvolumes, an overlay on top, bind mounts, a RAID and a disk that was pulled."""
    for i, letter in enumerate("ab"):
        t.lun(f"sys/devices/pci0000:00/0000:00:17.0/ata{i + 1}", i, 0, f"sd{letter}", f"8:{i * 16}", 2097152, "ATA",
              f"Disk {letter}")
        t.link(f"sys/fs/btrfs/11111111-2222/devices/sd{letter}",
               f"sys/devices/pci0000:00/0000:00:17.0/ata{i + 1}/host{i}/target{i}:0:0/{i}:0:0:0/block/sd{letter}")
    t.text("sys/fs/btrfs/11111111-2222/label", "my pool")
    t.folder("sys/fs/btrfs/features")
    t.disk("sys/devices/virtual/block/md0", "9:0", 1048576, device="")
    for letter in "ab":
        t.link(f"sys/devices/virtual/block/md0/slaves/sd{letter}", f"sys/class/block/sd{letter}")
    t.mount("0:41", "/", "btrfs", "/dev/sda", root="/@")
    t.mount("0:41", "/home", "btrfs", "/dev/sda", root="/@home")
    t.mount("0:60", "/merged", "overlay", "overlay", superblock="rw,lowerdir=/a,upperdir=/home/up,workdir=/home/w")
    t.mount("9:0", "/srv", "ext4", "/dev/md0")
    t.mount("9:0", "/srv/again\\134and\\011again", "ext4", "/dev/md0", root="/sub")
    t.mount("8:97", "/media/gone", "vfat", "/dev/sdg1")
    t.mount("0:5", "/tmp", "tmpfs", "tmpfs")


def overlay_root(t):
    """A read-only image under a writable overlay that the initramfs made: its folders' names are of an earlier root."""
    host = t.host("sys/devices/platform/soc/fe340000.mmc", "mmc0")
    disk = t.card(host, "aaaa", "mmcblk0", "179:0", 62333952, **SD, name="SL32G", manfid="0x000003",
                  serial="0x11111111", ssr=ssr(4, 9, 1, 10, 1))
    t.parts(disk, "mmcblk0p", 179, 1, [524288, 8388608], start=2048)
    t.text("proc/cmdline", "console=ttyS0 xroot=/dev/mmcblk9 root=/dev/mmcblk0p2 rootwait ro init=/sbin/overlay")
    t.mount("0:30", "/", "overlay", "overlay", superblock="rw,lowerdir=lower,upperdir=up/root,workdir=up/work")
    t.mount("0:31", "/run", "tmpfs", "tmpfs")
    t.mount("179:1", "/boot/firmware", "vfat", "/dev/mmcblk0p1")


def cell(number):
    return struct.pack(">I", number)


def rzg2l(t):
    """RZ/G2L: sysfs tells no cache, one CPU is offline; the device tree has a 256 KiB L3; 16-bit DDR4 by board file."""
    t.bytes("proc/device-tree/model", b"Renesas SMARC EVK based on r9a07g044l2\0")
    t.bytes("proc/device-tree/compatible", b"renesas,smarc-evk\0renesas,r9a07g044l2\0renesas,r9a07g044\0")
    t.text("proc/meminfo", "MemTotal:        1924208 kB\nMemFree:         1500000 kB\nMemAvailable:    1700000 kB")
    t.text("proc/self/cgroup", "0::/user.slice/test.scope")
    t.text("proc/self/status", "Name:\ttest\nVmSize:\t   10240 kB\nCpus_allowed_list:\t0")
    t.attributes("sys/fs/cgroup/user.slice/test.scope", {"memory.max": 536870912, "memory.current": 67108864})
    t.attributes("sys/devices/system/cpu", {"online": 0, "possible": "0-1", "cpu0/online": 1, "cpu1/online": 0})
    cpus = "proc/device-tree/cpus"
    for number in range(2):
        t.attributes(f"{cpus}/cpu@{number * 0x100:x}", {"d-cache-size": cell(32768), "next-level-cache": cell(9)})
    t.attributes(f"{cpus}/cache-controller-0", {"phandle": cell(9), "cache-size": cell(0x40000), "cache-level": cell(3)})


def memory_device(mib, bits, kind, speed, locator, bank):
    """One structure of SMBIOS type 17, as of version 2.7."""
    body = struct.pack("<BBHHHHHHBBBBBHHBBBBBIH", 17, 0x22, 0x1100, 0x1000, 0xfffe, bits, bits, mib, 9, 0, 1, 2, kind,
                       0x80, speed, 0, 0, 0, 0, 2, 0, speed if mib else 0)
    return body + locator.encode() + b"\0" + bank.encode() + b"\0\0"


def smbios(t):
    """PC with two channels of DDR4, one stick each, and an empty place; caches of two clusters; limits of cgroup v1."""
    sticks = [(8192, "ChannelA-DIMM0", "BANK 0"), (0, "ChannelA-DIMM1", "BANK 1"), (8192, "ChannelB-DIMM0", "BANK 2")]
    table = b"".join(memory_device(mib, 64, 0x1a, 2666, *where) for mib, *where in sticks)
    t.bytes("sys/firmware/dmi/tables/DMI", table + bytes([127, 4, 0, 0, 0, 0]))
    t.text("proc/meminfo", "MemTotal:       16303016 kB\nMemAvailable:   12000000 kB")
    t.text("proc/self/cgroup", "5:memory:/docker/one\n1:name=systemd:/")
    t.attributes("sys/fs/cgroup/memory/docker/one", {"memory.limit_in_bytes": 1073741824,
                                                     "memory.usage_in_bytes": 104857600})
    for cpu in range(4):
        pair = f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}"
        for index, (level, kind, size, shared) in enumerate(
                [(1, "Data", "32K", cpu), (1, "Instruction", "32K", cpu), (2, "Unified", "1024K", pair)]):
            t.attributes(f"sys/devices/system/cpu/cpu{cpu}/cache/index{index}",
                         {"level": level, "type": kind, "size": size, "shared_cpu_list": shared})


def loopback(t):
    t.port("sys/devices/virtual/net/lo", 1, "00:00:00:00:00:00", kind=772, flags="0x9", mtu=65536, carrier=1,
           changes=0)


def net_gigabit(t):
    """Two ports of one board, one of them at 100; RGMII delays by the PHY and by the MAC."""
    loopback(t)
    soc = "sys/devices/platform/soc"
    for number, (address, mode) in enumerate((("11c20000", "rgmii-id"), ("11c30000", "rgmii"))):
        hardware = f"{soc}/{address}.ethernet"
        delays = {} if mode == "rgmii-id" else {"tx_internal_delay_ps": 2000, "rx_internal_delay_ps": 300}
        t.node(f"soc/ethernet@{address}", hardware, compatible="renesas,r9a07g044-gbeth", phy_mode=mode, **delays)
        port = t.port(f"{hardware}/net/eth{number}", number + 2, f"02:11:22:33:44:0{number}", "ravb", "platform",
                      1000 if number == 0 else 100, "full")
        t.text(f"{port}/statistics/rx_crc_errors", number * 17)
        t.phy(port, f"{hardware}/mdio_bus/{address}.ethernet-ffffffff/{address}.ethernet-ffffffff:07",
              "Micrel KSZ9131 Gigabit PHY", mode)
    # A driver that keeps its old speed when the cable goes.
    t.port(f"{soc}/11c40000.ethernet/net/eth2", 4, "02:11:22:33:44:02", "ravb", "platform", 1000, "full", carrier=0)


def net_dongle(t):
    """A gigabit dongle on a USB 2 port, Wi-Fi, a modem that is no Ethernet port."""
    loopback(t)
    controller = "sys/devices/platform/soc/fe980000.usb"
    hub = t.hub(controller, 1, 480)
    interface = t.usb(hub, 1, 480, driver="ax88179_178a", idVendor="0b95", idProduct="1790", version=" 2.10",
                      product="AX88179", serial="000000000001")
    (t.root / interface / "driver").unlink()
    t.port(f"{interface}/net/enx021122334455", 3, "02:11:22:33:44:55", "ax88179_178a", "usb", 1000, "full")
    wifi = t.port("sys/devices/platform/soc/fe300000.mmcnr/mmc_host/mmc1/mmc1:0001/mmc1:0001:1/net/wlan0", 4,
                  "02:11:22:33:44:66", "brcmfmac", "sdio", devtype="wlan", carrier=1)
    t.folder("sys/devices/platform/soc/fe300000.mmcnr/ieee80211/phy0")
    t.link(f"{wifi}/phy80211", "sys/devices/platform/soc/fe300000.mmcnr/ieee80211/phy0")
    t.port("sys/devices/platform/soc/can0/net/can0", 5, "", "flexcan", "platform", kind=280)


def net_broken(t):
    """A PHY that was not found, half duplex, a controller that no driver took, a port that is down."""
    loopback(t)
    soc = "sys/devices/platform/soc"
    t.port(f"{soc}/30be0000.ethernet/net/eth0", 2, "02:11:22:33:44:00", "fec", "platform", carrier=None,
           flags="0x1002", changes=0)
    t.port(f"{soc}/30bf0000.ethernet/net/eth1", 3, "02:11:22:33:44:01", "imx-dwmac", "platform", 100, "half",
           changes=7)
    t.port(f"{soc}/30c00000.ethernet/net/eth2", 4, "02:11:22:33:44:02", "fec", "platform", carrier=None,
           flags="0x1002", changes=0)
    t.folder(f"{soc}/30d00000.ethernet")
    t.node("soc/ethernet@30d00000", f"{soc}/30d00000.ethernet", compatible="nxp,s32cc-dwmac", status="okay")
    t.link("sys/bus/platform/devices/30d00000.ethernet", f"{soc}/30d00000.ethernet")
    t.text("proc/kmsg", "fec 30be0000.ethernet eth0: Unable to connect to phy\n"
                        "imx-dwmac 30bf0000.ethernet eth1: PHY [stmmac-1:00] driver [RTL8211F] attached")


def net_dsa(t):
    """A switch: its ports are tested, what carries them and what is made of them is not listed plainly."""
    loopback(t)
    soc = "sys/devices/platform/soc"
    t.port(f"{soc}/1e100000.ethernet/net/eth0", 2, "02:11:22:33:44:00", "mtk_soc_eth", "platform", 1000, "full",
           mtu=1504)
    for number, speed in enumerate((1000, 10, None)):
        port = t.port(f"{soc}/1e100000.ethernet/mdio_bus/mdio-bus/mdio-bus:1f/net/lan{number + 1}", number + 3,
                      "02:11:22:33:44:00", "mt7530", "mdio_bus", speed, speed and "full", carrier=int(bool(speed)),
                      devtype="dsa")
        t.node(f"switch/ports/port@{number}", port, phy_mode="internal", label=f"lan{number + 1}",
               compatible="none", **({"max_speed": 100} if number == 1 else {}))
    t.port("sys/devices/virtual/net/br-lan", 9, "02:11:22:33:44:00", devtype="bridge", assigned=3)
    t.folder("sys/devices/virtual/net/br-lan/bridge")
    t.port("sys/devices/virtual/net/lan1.7", 10, "02:11:22:33:44:00", devtype="vlan", assigned=2)
    t.port("sys/devices/virtual/net/veth0", 11, "02:11:22:33:44:77", speed=10000, duplex="full", assigned=3)
    t.port("sys/devices/virtual/net/tun0", 12, "", kind=65534, tun_flags="0x1")
    t.text("sys/class/net/bonding_masters", "")


TREES = {"net-gigabit": net_gigabit, "net-dongle": net_dongle, "net-broken": net_broken, "net-dsa": net_dsa,
         "f2-beaglebone": f2, "f3-bpi-m2z": f3, "f4-tx2": f4, "f6-k1": f6, "f8-stb": f8, "f9-router": f9,
         "f10-slots": f10, "f17-counterfeits": f17, "f18-enclosure": f18, "f20-reviews": f20, "usb-slow": usb_slow,
         "4kn": four_kn, "cid-bytes": cid_bytes, "combo": combo, "btrfs": btrfs,
         "overlay-root": overlay_root, "rzg2l": rzg2l, "smbios": smbios}


def many(t, disks, parts):
    """Nothing but numbers: for bars."""
    for i in range(disks):
        host = t.host(f"sys/devices/platform/soc/{i:08x}.mmc", f"mmc{i}")
        disk = t.card(host, "0001", f"mmcblk{i}", f"{300 + i}:0", 62333952, **SD, name="SL32G", manfid="0x000003",
                      oemid="0x5344", serial=f"0x{i:08x}", cid=f"{i:032x}", ssr=ssr(4, 9, 3, 30, 2))
        t.parts(disk, f"mmcblk{i}p", 300 + i, 1, [65536] * parts)
        t.mount(f"{300 + i}:1", f"/media/card{i}", "ext4", f"/dev/mmcblk{i}p1")


def make(folder, name):
    tree = Tree(pathlib.Path(folder) / name)
    TREES[name](tree)
    tree.close()
    return tree.root


def make_many(path, disks, parts):
    tree = Tree(path)
    many(tree, disks, parts)
    tree.close()
    return tree.root


if __name__ == "__main__":
    for wanted in sys.argv[2:] or TREES:
        make(sys.argv[1], wanted)
