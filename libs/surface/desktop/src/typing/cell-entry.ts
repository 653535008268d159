import type { TextReadback } from '../session/text-readback.ts';
import { atspiRoles } from '../accessibility/roles.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** WM_CLASS of LibreOffice Calc. Its paragraphs are editors of cells. */
const CALC_APP_ID = 'libreoffice-calc';

/** True for a window of Calc. There, F2 or the first typed key opens the editor of a cell. Delete erases the cell. */
export const isSheet = ({ appId }: Pick<WindowFacts, 'appId'>): boolean => appId === CALC_APP_ID;

/** True for a text that ends the entry of a cell. */
export const endsEntry = (text: string): boolean => /[\t\n]/.test(text);

/** An open entry proves nothing: it can be cancelled, and AutoCorrect changes its last word when it ends. */
export const OPEN_ENTRY: TextReadback = {
  status: 'unverifiable',
  reason: 'The entry of the cell has not ended; press Enter',
};

/**
 * Result for a field that shows the typed text.
 * @param role AT-SPI role of the field
 */
export const shownTextReadback = (window: Pick<WindowFacts, 'appId'>, role: number): TextReadback =>
  isSheet(window) && (role === atspiRoles.paragraph || role === atspiRoles.tableCell)
    ? OPEN_ENTRY
    : { status: 'confirmed' };
