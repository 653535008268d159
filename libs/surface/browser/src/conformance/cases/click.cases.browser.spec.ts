import { conformance } from '../../testing/conformance-kit.ts';
import { clickCases } from './click.cases.ts';

conformance(clickCases);
