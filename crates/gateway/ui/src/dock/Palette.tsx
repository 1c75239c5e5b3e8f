import type { CommandHelp } from "../wire/frames";

/** The commands that a line beginning with `/` may still become. */
export function matching(commands: readonly CommandHelp[], text: string): CommandHelp[] {
  const typed = /^\/([a-z-]*)$/.exec(text)?.[1];
  return typed === undefined ? [] : commands.filter((command) => command.name.startsWith(typed));
}

interface PaletteProps {
  options: CommandHelp[];
  choice: number;
  onChoose: (name: string) => void;
}

export function Palette({ options, choice, onChoose }: PaletteProps) {
  if (options.length === 0) return null;
  return (
    <ul className="palette" id="palette" role="listbox" aria-label="Commands">
      {options.map((option, index) => (
        <li
          key={option.name} id={`palette-${option.name}`} role="option" aria-selected={index === choice}
          onMouseDown={(event) => { event.preventDefault(); onChoose(option.name); }}
        >
          <span className="palette-name">/{option.name}</span> <span className="palette-hint">{option.hint}</span>
          <span className="palette-help">{option.help}</span>
        </li>
      ))}
    </ul>
  );
}
