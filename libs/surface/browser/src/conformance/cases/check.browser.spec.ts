import { conformance } from '../../testing/conformance.ts';
import { checkCases } from './check.ts';

conformance(checkCases);
