import { conformance } from '../../testing/conformance.ts';
import { clickFrameCases } from './click-frames.ts';

conformance(clickFrameCases);
