import { conformance } from '../../testing/conformance-kit.ts';
import { clickWaitCases } from './click-waits.cases.ts';

conformance(clickWaitCases);
