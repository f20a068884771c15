#!/usr/bin/env python3
"""Figures and their units on the screen, by runs whose figures are known."""
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]
import runs  # noqa: E402
from screen import SANE, Screen, program  # noqa: E402

POINTS_S = 5


def number_after(word, row):
    return float(re.search(rf"\b{word} +([\d.]+)", row)[1])


class Figures(program.Case):
    def replay(self, lines, size=(24, 80)):
        """The result screen and the picture of a made run."""
        path = runs.write(self.home.path / "run.jsonl", lines)
        with Screen(self.home, "replay", path, "--step", size=size) as screen:
            screen.do("wait 15 DONE", "wait 5 took ")
            result = screen.settled(300)
            screen.do("send g", "wait 5 read out")
            picture = screen.settled(300)
            self.assertEqual(screen.leave(), (0, SANE))
        return result, picture

    def test_gigabit_in_mbit(self):
        result, picture = self.replay(runs.network([940.3e6] * 5, [0] * 5))
        self.assertIsNotNone(result.find("940 Mbit/s"), f"\n{result}")
        self.assertIsNotNone(picture.find(" Mbit/s"), f"\n{picture}")
        self.assertEqual(picture[2].split()[0], "Mbit/s", f"the axis has another unit:\n{picture}")
        self.assertRegex(str(picture), r"mean +940 Mbit/s +sent +588 MB +retransmits 0")
        self.assertNotRegex(str(picture) + str(result), r"[kMG]?B/s", f"bytes a second on a network:\n{result}")

    def test_dd_in_both_megabytes(self):
        result, picture = self.replay(runs.dd_write())
        self.assertRegex(str(result), r"150 MB/s +143 MiB/s")
        self.assertEqual(picture[2].split()[0], "MB/s", f"\n{picture}")
        self.assertNotIn("bit/s", str(picture))
        for figure in ("mean", "min", "p95", "max"):
            self.assertAlmostEqual(number_after(figure, picture.find("p95")), 150, delta=0.6)

    def test_long_intervals_are_points(self):
        """iperf3 -i 5 -t 60: twelve points; least, mean, most and p95 as computed."""
        result, picture = self.replay(runs.network(runs.LOSSY_BPS, runs.LOSSY_RETRANSMITS, POINTS_S), size=(36, 80))
        row = picture.find("mean") + picture.find("p95")
        rates = [bps / 1e6 for bps in runs.LOSSY_BPS]
        ordered = sorted(rates)
        place = 0.95 * (len(ordered) - 1)
        below = int(place)
        p95 = ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])
        for word, value in (("mean", statistics.fmean(rates)), ("min", min(rates)), ("max", max(rates)), ("p95", p95)):
            self.assertAlmostEqual(number_after(word, row), value, delta=max(0.6, value / 100), msg=f"{word}: {row}")
        self.assertIsNotNone(result.find("73.0 Mbit/s"), f"\n{result}")
        zero = [row for row in picture if "0 ┼" in row][0]
        # The zero interval (20 s to 25 s) is a gap of the plot, all other columns are filled.
        lowest = picture[picture.index(zero) - 1].split("│")[1]
        self.assertRegex(lowest, r"^█+ {3,8}█+$", f"\n{picture}")

    def test_card_of_the_published_board(self):
        result, _ = self.replay(runs.card_write(), size=(40, 100))
        self.assertRegex(str(result), r"4\.9 MB/s +4\.7 MiB/s")
        self.assertRegex(str(result), r"took +1 min 47 s")
        self.assertRegex(str(result), r"4\.9 MB/s of 104 MB/s")

    def test_ceiling_is_a_line_with_its_name(self):
        result, picture = self.replay(runs.cliff_write(), size=(40, 100))
        self.assertIsNotNone(picture.find("SDR104, 4 bit 104"), f"\n{picture}")
        self.assertIsNotNone(result.find("18.2 MB/s of 104 MB/s (17.5 %)"), f"\n{result}")

    def test_write_cliff(self):
        result, _ = self.replay(runs.cliff_write(), size=(40, 100))
        self.assertRegex(" ".join(str(result).split()), "after 1.2 GB the disk fell from 40.0 MB/s to 10.0 MB/s and "
                                                        "stayed there: its fast cache was full")

    def test_over_the_ceiling_is_no_record(self):
        result, _ = self.replay(runs.over_ceiling(), size=(40, 100))
        self.assertIsNotNone(result.find("104 MB/s (SDR104, 4 bit), "), f"\n{result}")
        self.assertRegex(" ".join(str(result).split()), r"1\.0 GB/s is more than the 104 MB/s that SDR104, 4 bit can "
                                                        "carry: an error of method, not the speed of the device")


if __name__ == "__main__":
    program.main()
