// A frame whose bytes are known from another source: a REQ over IPv4.
#ifndef MODEL_MAD_VECTOR_H_
#define MODEL_MAD_VECTOR_H_

#include "model/mad/captured.h"
#include "model/mad/frame.h"

namespace cm::mad {

// Made by an independent implementation, in Python with zlib, of Linux's layouts.
Bytes VectorBytes();

// The same as values, without lengths, checksum and CRC.
Frame VectorFrame();

}  // namespace cm::mad

#endif  // MODEL_MAD_VECTOR_H_
