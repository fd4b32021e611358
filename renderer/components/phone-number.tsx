import { formatPhone } from '../../server/contract/phone.ts'

/** A phone number formatted for reading, on one line. */
export const PhoneNumber = ({ digits }: { digits: string }) => (
  <span style={{ whiteSpace: 'nowrap' }}>{formatPhone(digits)}</span>
)
