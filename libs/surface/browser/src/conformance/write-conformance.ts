/**
 * Writes `bench/CONFORMANCE.md` from the tables. Usage: `node
 * libs/surface/browser/src/conformance/write-conformance.ts`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conformanceDocument, groups } from './conformance-document.ts';

/** Path of the document. */
export const CONFORMANCE_FILE = join(import.meta.dirname, '../../../../../bench/CONFORMANCE.md');

if (import.meta.main) writeFileSync(CONFORMANCE_FILE, conformanceDocument(groups));
