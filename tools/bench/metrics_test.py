"""The verdicts, on made-up figures: each gate is seen to fail."""
import unittest

import metrics
from metrics import FAILS, HOLDS, UNSUPPORTED, at_most, better_than_peer, floor


def metric(must, aim=(at_most(1e9),), **kwargs):
    cost = metrics.Cost("job/1")
    return metrics.Metric("1a", "a job", "ns", cost, must, aim, cost, cost, ("peer",), **kwargs)


def results(ours=None, of_floor=None, of_peer=None):
    made = metrics.Results()
    for program, costs in (("ours", ours), ("floor", of_floor), ("peer", of_peer)):
        for cost in costs or ():
            made.add(program, "job/1/only", {"ns": cost})
    return made


def verdict(must, *costs):
    return metrics.judge(metric(must), results(*costs), {}).verdict


class Verdicts(unittest.TestCase):
    def test_of_the_floor(self):
        self.assertEqual(verdict((floor(1.5),), [150], [100]), HOLDS)
        self.assertEqual(verdict((floor(1.5),), [179], [100]), HOLDS)  # within the slack
        self.assertEqual(verdict((floor(1.5),), [181], [100]), FAILS)

    def test_of_the_peer(self):
        self.assertEqual(verdict((better_than_peer(8),), [14.9], None, [100]), HOLDS)
        self.assertEqual(verdict((better_than_peer(8),), [15.1], None, [100]), FAILS)

    def test_of_a_number(self):
        self.assertEqual(verdict((at_most(5),), [5.9]), HOLDS)
        self.assertEqual(verdict((at_most(5),), [6.1]), FAILS)

    def test_one_of_two_is_enough_to_fail(self):
        both = (floor(1.5), better_than_peer(3))
        self.assertEqual(verdict(both, [100], [100], [400]), HOLDS)
        self.assertEqual(verdict(both, [100], [100], [200]), FAILS)
        self.assertEqual(verdict(both, [200], [100], [900]), FAILS)

    def test_what_is_missing_is_never_a_pass(self):
        both = (floor(1.5), better_than_peer(3))
        self.assertEqual(verdict(both, [100], [100], None), UNSUPPORTED)
        self.assertEqual(verdict(both, [100], None, [900]), UNSUPPORTED)
        self.assertEqual(verdict(both, None, [100], [900]), UNSUPPORTED)
        # And does not hide a failure.
        self.assertEqual(verdict(both, [200], [100], None), FAILS)

    def test_what_did_not_end_is_too_slow(self):
        row = metrics.judge(metric((floor(1.5),)), results(None, [100]),
                            {"ours:job/1": "not over after 60 s"})
        self.assertEqual(row.verdict, FAILS)
        self.assertEqual(row.why, "not over after 60 s")

    def test_the_aim_is_judged_apart(self):
        row = metrics.judge(metric((floor(1.5),), (floor(1.1),)), results([140], [100]), {})
        self.assertEqual((row.verdict, row.aim), (HOLDS, FAILS))
        at_aim = metrics.judge(metric((floor(1.5),), (floor(1.1),)), results([111], [100]), {})
        self.assertEqual(at_aim.aim, FAILS)  # an aim has no slack


class Figures(unittest.TestCase):
    def test_the_median_counts(self):
        self.assertEqual(verdict((at_most(100),), [90, 1000, 80, 95, 5000]), HOLDS)
        self.assertEqual(verdict((at_most(100),), [10, 1000, 20, 950, 5000]), FAILS)

    def test_the_best_variant_counts(self):
        made = results([100], [90])
        made.add("floor", "job/1/another", {"ns": 50})
        row = metrics.judge(metric((floor(1.5),)), made, {})
        self.assertEqual((row.floor.cost, row.floor.variant), (50, "another"))
        self.assertEqual(row.verdict, FAILS)

    def test_a_ratio_is_of_one_variant(self):
        made = results([300], [1])
        made.add("ours", "job/0/only", {"ns": 100})
        made.add("ours", "job/0/another", {"ns": 1000})
        grows = metric((at_most(2),), divided_by=metrics.Cost("job/0"))
        row = metrics.judge(grows, made, {})
        self.assertEqual(row.ours.cost, 3)
        self.assertEqual(row.verdict, FAILS)
        self.assertIsNone(row.floor)  # it has nothing to divide by

    def test_a_rate_is_shown_and_its_cost_is_judged(self):
        fast = metric((floor(2),), show=metrics.per_second(1e6))
        row = metrics.judge(fast, results([100], [60]), {})
        self.assertEqual(metrics.cells(row)[4:7], ("16.7", "10", "1.67"))
        self.assertEqual(row.verdict, HOLDS)


class ExitCodes(unittest.TestCase):
    def rows(self, *verdicts):
        return [metrics.Row(metric(()), None, None, None, v, v) for v in verdicts]

    def test_say_the_worst(self):
        self.assertEqual(metrics.exit_code(self.rows(HOLDS, HOLDS)), 0)
        self.assertEqual(metrics.exit_code(self.rows(HOLDS, FAILS, UNSUPPORTED)), 1)
        self.assertEqual(metrics.exit_code(self.rows(HOLDS, UNSUPPORTED)), 3)

    def test_an_aim_that_is_missed_is_no_failure(self):
        self.assertEqual(metrics.exit_code([metrics.Row(metric(()), None, None, None, HOLDS,
                                                        FAILS)]), 0)


class Instructions(unittest.TestCase):
    def judged(self, times):
        counted = {}
        for figure, (factor, of) in metrics.INSTRUCTIONS.items():
            counted["floor", of] = 100
            counted["ours", figure] = 100 * factor * times
        return counted

    def verdicts(self, counted):
        return {figure: row[-1] for figure, *row in metrics.judge_instructions(counted)}

    def test_each_bound_is_kept_and_broken(self):
        self.assertEqual(set(self.verdicts(self.judged(1)).values()), {HOLDS})
        self.assertEqual(set(self.verdicts(self.judged(1.01)).values()), {FAILS})

    def test_what_is_missing_is_never_a_pass(self):
        counted = self.judged(1)
        del counted["ours", "hold/16"], counted["floor", "life/1000"]
        verdicts = self.verdicts(counted)
        self.assertEqual([f for f, v in verdicts.items() if v != HOLDS],
                         ["hold/16", "life/1000", "world/1000", "checked/1"])
        self.assertEqual(verdicts["hold/16"], UNSUPPORTED)

    def test_the_exit_code_says_the_worst(self):
        self.assertEqual(metrics.gate_code([HOLDS, HOLDS]), 0)
        self.assertEqual(metrics.gate_code([HOLDS, UNSUPPORTED, FAILS]), 1)
        self.assertEqual(metrics.gate_code([HOLDS, UNSUPPORTED]), 2)

    def test_each_bound_is_of_a_metric(self):
        self.assertEqual(metrics.instruction_bounds(metrics.METRICS), metrics.INSTRUCTIONS)

    def test_only_those_of_the_wanted_metrics_are_judged(self):
        ninth = metrics.instruction_bounds([m for m in metrics.METRICS if m.number == "9"])
        self.assertEqual(list(ninth), ["checked/1"])
        self.assertEqual(metrics.figures_of_bounds(ninth), {"checked/1", "life/1000"})
        judged = [row[0] for row in metrics.judge_instructions(self.judged(1), ninth)]
        self.assertEqual(judged, ["checked/1"])
        second = [m for m in metrics.METRICS if metrics.number_of(m) == 2]
        self.assertEqual(metrics.instruction_bounds(second), {})


class TheMetrics(unittest.TestCase):
    def test_each_fails_when_ours_is_slow(self):
        """A must that nothing can break guards nothing."""
        for one in metrics.METRICS:
            row = metrics.Row(one, metrics.Measured(1e12, "x"), metrics.Measured(1.0, "x"),
                              metrics.Measured(1.0, "x"), UNSUPPORTED, UNSUPPORTED)
            for bound in one.must + one.aim:
                self.assertIs(metrics.keeps(bound, row, metrics.SLACK), False, one.number)

    def test_numbers_are_unique(self):
        numbers = [one.number for one in metrics.METRICS]
        self.assertEqual(len(set(numbers)), len(numbers))
        self.assertEqual({metrics.number_of(m) for m in metrics.METRICS},
                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 19, 20, 21, 22, 23})


if __name__ == "__main__":
    unittest.main()
