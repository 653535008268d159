import { conformance } from '../../testing/conformance-kit.ts';
import { focusCases } from './focus.cases.ts';
import { keyCases } from './keys.cases.ts';
import { keyTextCases } from './key-text.cases.ts';

conformance(keyCases, keyTextCases, focusCases);
