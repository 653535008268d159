import { conformance } from '../../testing/conformance-kit.ts';
import { typeCases } from './type.cases.ts';

conformance(typeCases);
