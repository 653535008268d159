import { conformance } from '../../testing/conformance-kit.ts';
import { dragCases } from './drag.cases.ts';
import { hoverCases } from './hover.cases.ts';

conformance(hoverCases);
conformance(dragCases);
