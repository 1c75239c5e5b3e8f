/** Returns growing text with the emphasis or code that its last paragraph has begun closed, so that no bare marks show. */
export function closed(text: string): string {
  const last = text.slice(text.lastIndexOf("\n\n") + 1);
  const isInFence = (text.match(/^\s*(```|~~~)/gm) ?? []).length % 2 === 1;
  if (isInFence) return text;
  const unpaired = last.replace(/`[^`]*`/g, "").replace(/\*\*[^\s*][^*]*\*\*/g, "").replace(/\*[^\s*][^*]*\*/g, "");
  const mark = /(?:^|[\s("“])(\*{1,2}|`)[^\s*`]/.exec(unpaired)?.[1];
  return mark ? text.trimEnd() + mark : text;
}
