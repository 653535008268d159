import { buttonClass } from '@pilothouse/ui-kit';
import { Link } from 'react-router';

interface PageLinksProps {
  /** Query of the first page; null: it is shown. */
  first: string | null;
  /** Query of the next page; null: there is none. */
  next: string | null;
}

/** Links between the pages of a list. */
export function PageLinks({ first, next }: PageLinksProps) {
  if (first === null && next === null) return null;
  return (
    <nav aria-label="Pages" className="mt-3 flex justify-center gap-2">
      {first !== null && (
        <Link to={`?${first}`} className={buttonClass()}>
          First page
        </Link>
      )}
      {next !== null && (
        <Link to={`?${next}`} className={buttonClass()}>
          Next page
        </Link>
      )}
    </nav>
  );
}
