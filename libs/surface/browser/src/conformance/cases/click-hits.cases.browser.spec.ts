import { conformance } from '../../testing/conformance-kit.ts';
import { clickHitCases } from './click-hits.cases.ts';

conformance(clickHitCases);
