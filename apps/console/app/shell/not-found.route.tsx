import { data } from 'react-router';

export const loader = () => {
  throw data({ code: 'NOT_FOUND', message: '' }, { status: 404 });
};

export default function NotFound() {
  return null;
}
