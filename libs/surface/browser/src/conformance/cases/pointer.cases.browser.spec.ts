import { conformance } from '../../testing/conformance-kit.ts';
import { dragCases, hoverCases } from './pointer.cases.ts';

conformance(hoverCases);
conformance(dragCases);
