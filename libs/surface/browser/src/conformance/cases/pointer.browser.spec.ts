import { conformance } from '../../testing/conformance.ts';
import { dragCases, hoverCases } from './pointer.ts';

conformance(hoverCases);
conformance(dragCases);
