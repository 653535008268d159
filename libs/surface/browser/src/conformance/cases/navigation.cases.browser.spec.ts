import { conformance } from '../../testing/conformance-kit.ts';
import { dialogCases } from './dialog.cases.ts';
import { downloadCases, uploadCases } from './files.cases.ts';
import { historyCases } from './history.cases.ts';
import { wheelCases } from './wheel.cases.ts';

conformance(dialogCases, uploadCases, downloadCases, wheelCases, historyCases);
