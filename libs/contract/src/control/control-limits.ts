/** Maximum number of inputs and of their characters in a batch: they share the socket with cancels. */
export const MAX_INPUTS = 100;
export const MAX_INPUT_TEXT = 20_000;

/** Milliseconds without input after which control is released. */
export const CONTROL_IDLE_MS = 60_000;

/** Maximum number of files for a file chooser. */
export const MAX_CHOSEN_FILES = 20;
