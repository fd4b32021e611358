import { formatPhone } from '../../server/contract/phone.ts'

/** A number for reading; what is copied from it keeps its digits. */
export const PhoneNumber = ({ digits }: { digits: string }) => (
  <span style={{ whiteSpace: 'nowrap' }}>{formatPhone(digits)}</span>
)
