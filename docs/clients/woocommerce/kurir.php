<?php
/**
 * Plugin Name: Kurir for WooCommerce
 * Description: Writes to the customer when an order is paid. WordPress must reach Kurir: on the same PC or LAN.
 *
 * Put it into wp-content/mu-plugins. wp-config.php says define('KURIR_KEY', 'kurir_g_…'), and where they are needed
 * KURIR_URL and KURIR_SENDER. The tests run it, with a real call in place of wp_remote_post; not in WordPress.
 */

/** What the customer gets. */
function kurir_text($order): string {
  return "Terima kasih {$order->get_billing_first_name()}, pesanan {$order->get_order_number()} sudah kami terima.";
}

// In the background: the customer's page does not wait for Kurir.
add_action('woocommerce_payment_complete', function ($order_id) {
  as_enqueue_async_action('kurir_send', [$order_id, 1]);
});
add_action('kurir_send', 'kurir_send', 10, 2);

function kurir_send($order_id, $attempt): void {
  $order = wc_get_order($order_id);
  // The shop's own number for this message: Kurir sends it once, however often it is called.
  $reference = 'order-' . $order->get_order_number() . '-paid';
  $body = ['phone' => $order->get_billing_phone(), 'message' => kurir_text($order), 'reference_id' => $reference];
  if (defined('KURIR_SENDER')) $body['sender_code'] = KURIR_SENDER;
  $answer = wp_remote_post((defined('KURIR_URL') ? KURIR_URL : 'http://127.0.0.1:7420') . '/send', [
    'timeout' => 60,
    'headers' => [
      'Authorization' => 'Bearer ' . KURIR_KEY,
      'Content-Type' => 'application/json',
      'Idempotency-Key' => $reference,
    ],
    'body' => wp_json_encode($body),
  ]);
  $status = (int) wp_remote_retrieve_response_code($answer); // 0 where there was no answer
  $said = json_decode(wp_remote_retrieve_body($answer), true);
  if ($status === 200 && isset($said['data']['id'])) {
    $order->add_order_note('Kurir: ' . $said['data']['id']);
  } elseif (!in_array($status, [0, 200, 429, 500, 502, 503], true)) {
    // Kurir said no: the same call would be refused again.
    $order->add_order_note('Kurir: ' . ($said['error']['code'] ?? $status) . ': ' . ($said['message'] ?? ''));
  } elseif ($attempt < 6) {
    // No answer, too fast, or Kurir is closing: the same call again, after 1 minute, 2, 4, 8, 16.
    as_schedule_single_action(time() + 60 * 2 ** ($attempt - 1), 'kurir_send', [$order_id, $attempt + 1]);
  } else {
    $order->add_order_note("Kurir does not answer: $reference was not sent.");
  }
}
