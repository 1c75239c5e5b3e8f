// Reads unified diffs, as tools write them.

export interface DiffLine {
  kind: "add" | "remove" | "same" | "hunk";
  text: string;
  before: number | null;
  after: number | null;
}

export interface FileDiff {
  path: string;
  lines: DiffLine[];
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

export function parseDiff(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let before = 0;
  let after = 0;
  const file = (): FileDiff => files.at(-1) ?? files[files.push({ path: "", lines: [] }) - 1]!;
  const lines = text.replace(/\n$/, "").split("\n");
  lines.forEach((line, index) => {
    const hunk = HUNK.exec(line);
    if (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ")) {
      files.push({ path: pathOf(lines[index + 1] ?? "", line), lines: [] });
    } else if (line.startsWith("+++ ") && lines[index - 1]?.startsWith("--- ")) {
      return;
    } else if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      file().lines.push({ kind: "hunk", text: hunk[3] ?? "", before: null, after: null });
    } else if (line.startsWith("+")) {
      file().lines.push({ kind: "add", text: line.slice(1), before: null, after: after++ });
    } else if (line.startsWith("-")) {
      file().lines.push({ kind: "remove", text: line.slice(1), before: before++, after: null });
    } else if (line.startsWith(" ") || line === "") {
      file().lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
    }
  });
  return files;
}

function pathOf(after: string, before: string): string {
  const named = after.slice(4) === "/dev/null" ? before : after;
  return named.slice(4).replace(/^[ab]\//, "").replace(/\t.*$/, "");
}

/** Counts added and removed lines. */
export function tally(text: string): { added: number; removed: number } {
  const lines = parseDiff(text).flatMap((file) => file.lines);
  return {
    added: lines.filter((line) => line.kind === "add").length,
    removed: lines.filter((line) => line.kind === "remove").length,
  };
}
