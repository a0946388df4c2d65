/** The longest body of a request for a model of the gateway: agents send whole conversations with their images. */
export const maxGatewayBytes = 32 * 1024 * 1024
