import { conformance } from '../../testing/conformance-kit.ts';
import { selectCases } from './select.cases.ts';

conformance(selectCases);
