import { memo } from "react";
import { parseDiff, type DiffLine } from "./diff";

const SHOWN_MAX = 600;

/** A unified diff in colours, with the line numbers of both sides. */
export const Diff = memo(function Diff({ text }: { text: string }) {
  const files = parseDiff(text);
  return (
    <div className="diff">
      {files.map((file, index) => (
        <table key={index} aria-label={`Changes in ${file.path}`}>
          {files.length > 1 && <caption>{file.path}</caption>}
          <tbody>{file.lines.slice(0, SHOWN_MAX).map((line, at) => (at > 0 || line.kind !== "hunk") && <Line key={at} line={line} />)}</tbody>
          {file.lines.length > SHOWN_MAX && (
            <tfoot><tr><td colSpan={3}>{file.lines.length - SHOWN_MAX} more lines</td></tr></tfoot>
          )}
        </table>
      ))}
    </div>
  );
});

const SIGNS = { add: "+", remove: "−", same: " ", hunk: "" };

function Line({ line }: { line: DiffLine }) {
  if (line.kind === "hunk") return <tr data-line="hunk"><td colSpan={3}>{line.text || "⋯"}</td></tr>;
  return (
    <tr data-line={line.kind}>
      <td className="n">{line.before ?? ""}</td>
      <td className="n">{line.after ?? ""}</td>
      <td className="text"><span className="sign">{SIGNS[line.kind]}</span>{line.text}</td>
    </tr>
  );
}
