import { createContext, useContext } from 'react';

/** Dialogs that every page can open. */
export type ShellDialog = 'new-workflow-run' | 'new-goal-run' | 'palette' | 'shortcuts';

/** Opens a dialog of the shell. */
export const ShellDialogContext = createContext<(dialog: ShellDialog) => void>(() => undefined);

/** Returns a function that opens a dialog of the shell. */
export const useShellDialog = () => useContext(ShellDialogContext);
