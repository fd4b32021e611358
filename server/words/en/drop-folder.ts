/** Why a file of the drop folder is not sent. */
export const dropReasons = {
  no_number: 'The name does not begin with a phone number. It should look like this: 0812-3456-7890 INV-1001.pdf',
  several_numbers:
    'Kurir cannot tell where the phone number ends. Write it without spaces, then one space: 081234567890 1001.pdf',
  bad_number: 'The number at the beginning of the name is no phone number. Correct it.',
  no_country_code:
    'The number has no country code, and the sender has no country set. Begin the name with the code, such as 6281234567890.',
  no_reference:
    'The text for the customer names a reference, and the name of this file has none. Put it after the number.',
  bad_name: 'The name has letters that Kurir cannot use. Give the file another name.',
  not_this_kind: 'From this folder Kurir sends PDF files and pictures (JPG, PNG, WebP).',
  link: 'This is a link, or a file with a second name somewhere else. Put a copy here.',
  empty: 'The file is empty.',
  too_large: 'The file is larger than WhatsApp takes: 100 MB for a PDF, 16 MB for a picture.',
  sent_before: 'This file was taken before, with the same name. To send it once more, give it another name.',
  refused: 'Kurir could not make a message of it.',
  message_failed: 'The message failed. See the reason on the page Messages of Kurir.',
} as const
