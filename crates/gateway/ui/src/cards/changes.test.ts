import { expect, test } from "vitest";
import type { PlanVersion } from "../wire/frames";
import { earlier } from "./PlanChanges";

function version(revision: number, sha256: string): PlanVersion {
  return { plan_id: "p", revision, title: "t", sha256, state: "kept", seq: revision, from: "tool" };
}

test("a version is compared with those before it, each text once", () => {
  const versions = [version(4, "d"), version(3, "a"), version(2, "b"), version(1, "a")];
  expect(earlier(versions, "d").map((other) => other.revision)).toEqual([3, 2]);
  expect(earlier(versions, "b").map((other) => other.revision)).toEqual([1]);
});

test("the first version has none before it", () => {
  expect(earlier([version(1, "a")], "a")).toEqual([]);
});
