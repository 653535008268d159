/** Bits of AT-SPI's state set (`AtspiStateType`, atspi-constants.h). */
const BITS = {
  active: 1,
  busy: 3,
  checked: 4,
  editable: 7,
  enabled: 8,
  expandable: 9,
  expanded: 10,
  focusable: 11,
  focused: 12,
  modal: 16,
  multiLine: 17,
  pressed: 20,
  selectable: 22,
  selected: 23,
  sensitive: 24,
  showing: 25,
  visible: 30,
  managesDescendants: 31,
  indeterminate: 32,
  required: 33,
  invalidEntry: 36,
  checkable: 41,
  readOnly: 43,
} as const;

export type StateName = keyof typeof BITS;

/** State set of an accessible: two words of 32 bits. */
export type StateSet = readonly number[];

export const hasState = (states: StateSet, name: StateName): boolean => {
  const bit = BITS[name];
  return (((states[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
};

/** Returns a state set with one state, for `Collection.GetMatches`. */
export const stateSetOf = (name: StateName): [number, number] => {
  const bit = BITS[name];
  const value = (1 << (bit & 31)) | 0;
  return bit < 32 ? [value, 0] : [0, value];
};
