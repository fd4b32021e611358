// Other parameters, such as filters, change the list but not what is open.
const PLACES = ['open', 'delivery', 'step', 'kind']

/** The page and what is open in it: leaving it unmounts what is being edited there. */
export function placeOf(address: string): string {
  const url = new URL(address, 'http://window')
  return [url.pathname, ...PLACES.map((name) => url.searchParams.get(name) ?? '')].join(' ')
}
