import { conformance } from '../../testing/conformance.ts';
import { selectCases } from './select.ts';

conformance(selectCases);
