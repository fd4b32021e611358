// Milliseconds.
const AGAIN_AFTER = 2_000

/**
 * Loads a part of the window. If its script cannot be fetched, waits until it can and reloads the
 * window, because a browser never fetches a failed module again (HTML, module map).
 */
export async function fetched<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    // Errors of Chromium and Firefox name the script. In other browsers, wait for the page itself.
    const [address = location.href] = /https?:\/\/\S+/.exec(String(error)) ?? []
    while (!(await isThere(address))) await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER))
    location.reload()
    return new Promise(() => undefined)
  }
}

const isThere = (address: string): Promise<boolean> =>
  fetch(address, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
