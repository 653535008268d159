/** URL of the comparison of two runs. */
export const compareHref = (left: string, right: string) =>
  `/runs/compare?${new URLSearchParams({ left, right }).toString()}`;
