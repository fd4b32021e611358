/** Parts of templates as Meta lists them, and the parameters that a send of each needs. */

export const urlButton = { type: 'URL', text: 'Bayar', url: 'https://shop.example/pay/{{1}}' }

export const carousel = {
  type: 'CAROUSEL',
  cards: ['Kopi', 'Teh {{1}}'].map((text) => ({
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Pesan' }, urlButton] },
    ],
  })),
}

const text = (value: string) => ({ type: 'text', text: value })
const button = (index: number, value: string) => ({
  ...{ type: 'button', sub_type: 'url', index: String(index), parameters: [text(value)] },
})
const image = { type: 'header', parameters: [{ type: 'image', image: { id: '5' } }] }

export const sentCarousel = {
  type: 'carousel',
  cards: [
    { card_index: 0, components: [image, button(1, 'kopi')] },
    { card_index: 1, components: [image, { type: 'body', parameters: [text('hijau')] }, button(1, 'teh')] },
  ],
}

export const couponButton = { type: 'COPY_CODE', text: 'Salin', example: 'HEMAT25' }
export const sentCoupon = {
  ...{ type: 'button', sub_type: 'copy_code', index: '0' },
  parameters: [{ type: 'coupon_code', coupon_code: 'HEMAT25' }],
}

export const offer = {
  type: 'LIMITED_TIME_OFFER',
  limited_time_offer: { text: 'Sampai malam ini', has_expiration: true },
}
export const sentOffer = {
  type: 'limited_time_offer',
  parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_795_300_000_000 } }],
}

/**
 * Parts of an authentication template as Meta lists them: no text, and a button of a special type.
 */
export const oneTimeCode = [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Salin kode' }] },
]
export const sentCode = (code: string, behind: string = code) => [
  { type: 'body', parameters: [text(code)] },
  button(0, behind),
]

export const products = { type: 'MPM', text: 'Lihat' }
export const sentProducts = {
  ...{ type: 'button', sub_type: 'mpm', index: '0' },
  parameters: [{ type: 'action', action: { sections: [] } }],
}
