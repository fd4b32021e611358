import { PAGE_TOKEN_HEADER } from '../../server/contract/page-token.ts'

// Name in localStorage, which pages on other ports of this PC cannot read.
const STORED = 'kurir.page-token'

/**
 * Returns the headers that a browser sends beside its cookie. On the desktop there are none,
 * because the shell adds the owner's token.
 */
export function ownHeaders(): Record<string, string> {
  const token = storedToken()
  return token === null ? {} : { [PAGE_TOKEN_HEADER]: token }
}

export const keepToken = (token: string): void => localStorage.setItem(STORED, token)

function storedToken(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    // The browser allows no storage.
    return null
  }
}
