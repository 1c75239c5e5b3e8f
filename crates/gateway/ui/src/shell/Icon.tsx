const PATHS = {
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  pencil: "M3 13l.7-2.9L10.8 3l2.2 2.2-7.1 7.1L3 13z",
  play: "M5 3.5v9l7.5-4.5L5 3.5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  chevron: "M6 4l4 4-4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  up: "M8 13V3M4 7l4-4 4 4",
  stop: "M4.5 4.5h7v7h-7z",
  fork: "M4.5 2.5v11M4.5 9.5c0-3 7-2 7-6M11.5 3.5l-1.8 1.6M11.5 3.5l1.6 1.8",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  theme: "M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM8 2.5v11M10.5 3.5v9M12.4 5v6",
  archive: "M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  check: "M3.5 8.5l3 3 6-7",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
