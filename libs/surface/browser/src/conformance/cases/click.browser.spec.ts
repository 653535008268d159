import { conformance } from '../../testing/conformance.ts';
import { clickCases } from './click.ts';

conformance(clickCases);
