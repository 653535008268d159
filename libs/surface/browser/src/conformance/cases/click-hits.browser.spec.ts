import { conformance } from '../../testing/conformance.ts';
import { clickHitCases } from './click-hits.ts';

conformance(clickHitCases);
