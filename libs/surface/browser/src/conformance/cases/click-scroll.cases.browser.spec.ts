import { conformance } from '../../testing/conformance-kit.ts';
import { clickScrollCases } from './click-scroll.cases.ts';

conformance(clickScrollCases);
