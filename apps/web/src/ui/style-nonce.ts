/** The nonce of this page: only styles with this nonce are applied. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

// notistack's style engine reads it when it is loaded, so import this file first.
Object.assign(window, { __nonce__: styleNonce })
