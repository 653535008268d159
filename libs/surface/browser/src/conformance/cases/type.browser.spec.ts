import { conformance } from '../../testing/conformance.ts';
import { typeCases } from './type.ts';

conformance(typeCases);
