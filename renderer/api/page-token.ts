import { PAGE_TOKEN_HEADER } from '../../server/contract/page-token.ts'

// Only this origin has it: pages of other ports of this PC cannot read it.
const STORED = 'kurir.page-token'

/**
 * Headers that a browser's window sends beside its cookie; none on the desktop, whose shell adds
 * the right.
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
    // A browser that keeps nothing for pages.
    return null
  }
}
