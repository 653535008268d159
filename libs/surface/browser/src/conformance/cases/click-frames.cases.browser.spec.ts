import { conformance } from '../../testing/conformance-kit.ts';
import { clickFrameCases } from './click-frames.cases.ts';

conformance(clickFrameCases);
