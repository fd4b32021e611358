// Parameters that say what is open. Others, such as filters, change only the list.
const PLACES = ['open', 'delivery', 'step', 'kind']

/** Returns the page and what is open in it. Going to another place unmounts the edited fields. */
export function placeOf(address: string): string {
  const url = new URL(address, 'http://window')
  return [url.pathname, ...PLACES.map((name) => url.searchParams.get(name) ?? '')].join(' ')
}
