/** The nonce that the server wrote into this page: only styles that carry it are applied. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

// The style engine inside notistack looks here, and does so as soon as it is loaded: import this file first.
Object.assign(window, { __nonce__: styleNonce })
