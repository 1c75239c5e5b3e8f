import { expect, test } from "vitest";
import { timeLeft } from "./timeLeft";

test("the time that is left is told in seconds, then in minutes", () => {
  expect(timeLeft(true, 59_001)).toBe("what is recommended stands in 60 s");
  expect(timeLeft(true, 600_000)).toBe("what is recommended stands in 10 min");
  expect(timeLeft(true, -5)).toBe("what is recommended stands in 0 s");
});

test("after a restart the question waits for a person", () => {
  expect(timeLeft(false, 59_000)).toBe("expired, waiting for you");
});
