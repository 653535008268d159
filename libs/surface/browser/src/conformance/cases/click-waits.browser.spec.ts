import { conformance } from '../../testing/conformance.ts';
import { clickWaitCases } from './click-waits.ts';

conformance(clickWaitCases);
