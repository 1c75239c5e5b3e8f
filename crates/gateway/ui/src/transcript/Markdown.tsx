import DOMPurify from "dompurify";
import { Marked } from "marked";
import { memo, useMemo } from "react";
import { closed } from "./closed";

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    // An image would be fetched from wherever the model says: a link leaves that to the person.
    image({ href, text }) {
      const link = document.createElement("a");
      link.setAttribute("href", href);
      link.textContent = text || href;
      return link.outerHTML;
    },
    // Markup in an answer is something to read, as code is; only a line break is taken at its word.
    html({ text, block }) {
      if (/^<br\s*\/?>$/i.test(text.trim())) return "<br>";
      return block ? `<p>${escaped(text)}</p>` : escaped(text);
    },
    checkbox({ checked }) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

const CLEAN = {
  USE_PROFILES: { html: true },
  // Styles are refused by the page's security policy; forms and media of a model's making have no place here.
  FORBID_ATTR: ["style", "id", "name"],
  FORBID_TAGS: ["style", "img", "picture", "form", "input", "button", "select", "textarea", "video", "audio", "iframe"],
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

function toHtml(text: string): string {
  return DOMPurify.sanitize(marked.parse(text) as string, CLEAN);
}

/**
 * Text that still grows: cut into its top-level blocks, so that each piece costs the last block alone. Link
 * definitions further down reach their links only once the text is whole.
 */
export function GrowingMarkdown({ text }: { text: string }) {
  const blocks = marked.lexer(closed(text)).filter((token) => token.type !== "space");
  return <div className="prose">{blocks.map((token, index) => <MarkdownBlock key={index} text={token.raw} />)}</div>;
}

const MarkdownBlock = memo(function MarkdownBlock({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: toHtml(text) }), [text]);
  return <div className="prose-block" dangerouslySetInnerHTML={html} />;
});

/** Text of a model as formatted prose. What could run, submit or restyle is taken out. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: toHtml(text) }), [text]);
  return <div className="prose" dangerouslySetInnerHTML={html} />;
});
