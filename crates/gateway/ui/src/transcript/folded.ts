// Which rows are open: kept outside the rows, which come and go as the list scrolls.

import { create } from "zustand";

const useOpenings = create<Record<string, boolean>>()(() => ({}));

export function useFolded(key: string, isOpenAtFirst = false): [boolean, () => void] {
  const isOpen = useOpenings((openings) => openings[key]) ?? isOpenAtFirst;
  return [isOpen, () => useOpenings.setState({ [key]: !isOpen })];
}
