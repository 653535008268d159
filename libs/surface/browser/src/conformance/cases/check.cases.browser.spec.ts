import { conformance } from '../../testing/conformance-kit.ts';
import { checkCases } from './check.cases.ts';

conformance(checkCases);
