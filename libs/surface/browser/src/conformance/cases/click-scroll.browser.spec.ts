import { conformance } from '../../testing/conformance.ts';
import { clickScrollCases } from './click-scroll.ts';

conformance(clickScrollCases);
