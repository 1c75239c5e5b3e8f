import { describe, expect, test } from "vitest";
import type { Envelope } from "../wire/events";
import { wholeText } from "./inputs";

const item = (preview: string) => ({ input_id: "i", target: "next-turn" as const, preview, source: "user", held: false });
const told = (seq: number, type: string, text: string): Envelope => ({
  seq, batch_end: seq, epoch: 1, at_ms: 0, actor: { kind: "user" }, type, data: { input_id: "i", content: [{ type: "text", text }] },
});

describe("editing a waiting prompt", () => {
  test("begins_with_its_newest_whole_text", () => {
    expect(wholeText([told(1, "input/queued", "old"), told(2, "input/edited", "new")], item("o"))).toBe("new");
  });
  test("takes_a_short_preview_as_it_is", () => {
    expect(wholeText([], item("short"))).toBe("short");
  });
  test("is_not_offered_when_only_a_cut_preview_is_known", () => {
    expect(wholeText([], item("x".repeat(512)))).toBeNull();
  });
});
